import { describe } from 'vitest';
import { testEveryRow } from './every-row.ts';

describe('process', () => testEveryRow('process'));
