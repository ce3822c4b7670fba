import { describe } from 'vitest';
import { testEveryRow } from './every-row.ts';

/** The tables that are quick. `TABD_CONTRACT=door` runs all of them. */
const QUICK = ['n8n', 'n8n-control', 'n8n-webhooks'];

describe('door', () => testEveryRow('door', process.env.TABD_CONTRACT === undefined ? QUICK : undefined));
