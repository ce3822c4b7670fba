import { readFileSync, writeFileSync } from 'node:fs';

/** Writes a JSON file only if its content changed, because builds compare times. */
export function writeIfChanged(path, value) {
  const text = `${JSON.stringify(value, null, 2)}\n`;
  if (current(path) !== text) writeFileSync(path, text);
}

function current(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
