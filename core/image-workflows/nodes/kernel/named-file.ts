/**
 * Files that graphs name. Any existing file is valid, also in a subfolder or in another folder (`x.png [output]`), not
 * only those that a node lists as choices.
 */
import type { FilePath } from '#core/host';
import type { NodeContext } from './node-context.ts';

export type MediaKind = 'image' | 'audio' | 'video';
type Values = Readonly<Record<string, unknown>>;
type FileAccess = Pick<NodeContext, 'files'>;

const invalid = (kind: MediaKind, name: unknown): string => `Invalid ${kind} file: ${name}`;

/** The path of a file that a graph names. Rejects with an error that contains the name when there is no such file. */
export async function requireFilePath(
  kind: MediaKind,
  name: string,
  { files }: FileAccess,
): Promise<FilePath> {
  const found = await files.find(name);
  if (!found) throw new Error(invalid(kind, name));
  return found.path;
}

/** `validate` and `fingerprint` of a node whose input `input` names a file. */
export const fileChecks = (kind: MediaKind, input: string = kind) => ({
  validate: {
    inputs: [input],
    check: async ({ [input]: name }: Values, { files }: FileAccess) =>
      typeof name !== 'string' || (await files.find(name)) ? true : invalid(kind, name),
  },
  fingerprint: async ({ [input]: name }: Values, { files }: FileAccess) => {
    const found = typeof name === 'string' ? await files.find(name) : undefined;
    return found && files.digest(found.path);
  },
});
