/** A tab with a model that writes one text for each recording. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { HEARING_MODEL } from '../../support/local-models/whisper/hearing-host.ts';

/** A tone as a file in the format of the name's ending. @param options of ffmpeg */
export function toneFile(name: string, seconds: number, ...options: string[]): Buffer {
  const folder = mkdtempSync(join(tmpdir(), 'tabd-tone-'));
  try {
    const path = join(folder, name);
    const source = ['-f', 'lavfi', '-i', `sine=f=440:d=${seconds}:r=48000`, '-ac', '2'];
    execFileSync('ffmpeg', ['-v', 'error', ...source, ...options, path]);
    return readFileSync(path);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Sends a file by the page's own `fetch`. */
export function transcribeInTab(page: Page, file: Buffer, name: string, fields: Record<string, string> = {}) {
  return page.evaluate(
    async ({ base64, name, fields }) => {
      const body = new FormData();
      for (const [field, value] of Object.entries(fields)) body.append(field, value);
      const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
      body.append('file', new File([bytes], name));
      const response = await fetch('/v1/audio/transcriptions', { method: 'POST', body });
      return { status: response.status, body: await response.json() };
    },
    { base64: file.toString('base64'), name, fields: { model: HEARING_MODEL, ...fields } },
  );
}
