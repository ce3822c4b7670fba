import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const source = fileURLToPath(new URL('../../crash/faulty-disk.c', import.meta.url));
const output = fileURLToPath(new URL('../../../.cache/crash', import.meta.url));

/** Compiles the library that lets file operations of a process fail (LD_PRELOAD). Returns its path. */
export function compileFaultyDisk(): string {
  mkdirSync(output, { recursive: true });
  const library = join(output, 'faulty-disk.so');
  execFileSync('cc', ['-shared', '-fPIC', '-O1', '-o', library, source, '-ldl', '-lpthread']);
  return library;
}
