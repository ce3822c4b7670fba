/** Checks the invariants of image prompts after all kills. */
import type { Effect } from './ledger.ts';

export interface SentPrompt {
  id: string;
  /** The name by which the ledger knows the prompt, and the beginning of the name of its image. */
  call: string;
  outcome: 'accepted' | 'refused' | 'disconnected' | 'hung';
  status?: number;
  text: string;
}

/** Sends a GET request to a door. */
export type Ask = (path: string) => Promise<Response>;

interface Entry {
  outputs: Record<string, { images?: { filename: string; subfolder: string; type: string }[] }>;
  status: { status_str: string; completed: boolean };
}

const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47]);

/** @returns a sentence for each violation */
export async function brokenPromptInvariants(
  sent: SentPrompt[],
  effects: Effect[],
  ask: Ask,
): Promise<string[]> {
  const problems: string[] = [];
  const ran = new Set(effects.map(({ call }) => call));
  const files = new Map<string, string>();
  for (const { id, call, outcome, status, text } of sent) {
    const entry = ((await (await ask(`/history/${id}`)).json()) as Record<string, Entry>)[id];
    const name = `${call} (${outcome}${status ? ` ${status}` : ''})`;
    if (outcome === 'hung') problems.push(`${name} hung: ${text}`);
    if (outcome === 'refused' && status !== 503) problems.push(`${name}: ${text.slice(0, 200)}`);
    if (outcome === 'accepted' && !entry) problems.push(`${name} is not in the history`);
    if (!entry) {
      if (ran.has(call)) problems.push(`${name} ran, and is not in the history`);
      continue;
    }
    if (entry.status.status_str !== 'success') continue;
    const images = Object.values(entry.outputs).flatMap((each) => each.images ?? []);
    if (images.length !== 1) problems.push(`${name} has ${images.length} images`);
    for (const { filename, subfolder, type } of images) {
      const other = files.get(filename);
      if (other) problems.push(`${name} and ${other} have the same image ${filename}`);
      files.set(filename, name);
      if (!filename.startsWith(call)) problems.push(`${name} has the image of another prompt: ${filename}`);
      const view = await ask(`/view?${new URLSearchParams({ filename, subfolder, type })}`);
      const bytes = Buffer.from(await view.arrayBuffer());
      if (!bytes.subarray(0, 4).equals(PNG)) problems.push(`${name}: ${filename} is no PNG: ${view.status}`);
    }
    if (!ran.has(call)) problems.push(`${name} succeeded without its node`);
  }
  return problems;
}
