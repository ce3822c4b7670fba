import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { RecordedNumbers } from './recorded-numbers.ts';

/** Reads a recording of the folder `numbers`. */
export const readRecording = (folder: string, name: string): RecordedNumbers =>
  new RecordedNumbers(
    JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8')),
    readFileSync(join(folder, `${name}.npz`)),
  );
