import { createInterface } from 'node:readline/promises';
import type { DownloadConsent } from '#core/host';
import { formatBytes } from '../base/format.ts';

/** Asks on the terminal before a download. Without a terminal, the request for the model counts as consent. */
export function consentOnTerminal(yes: boolean) {
  return async ({ model, bytes, licence }: DownloadConsent, signal: AbortSignal): Promise<boolean> => {
    if (yes || !process.stdin.isTTY || !process.stdout.isTTY) return true;
    const terms = licence ? `, licence ${licence}` : '';
    const lines = createInterface({ input: process.stdin, output: process.stdout });
    try {
      const answer = await lines.question(`Download ${model} (${formatBytes(bytes)}${terms})? [Y/n] `, {
        signal,
      });
      return !/^\s*n/i.test(answer);
    } finally {
      lines.close();
    }
  };
}
