/** Files of the folders by the names that graphs have for them: any that is there will do, also in subfolders and with `[output]`. */
import type { FilePath } from '#core/host';
import type { NodeContext } from './node-context.ts';

export type FileKind = 'image' | 'audio' | 'video';
type Values = Readonly<Record<string, unknown>>;
type Access = Pick<NodeContext, 'files'>;

const invalid = (kind: FileKind, name: unknown): string => `Invalid ${kind} file: ${name}`;

/** Throws with the name. */
export async function requireFilePath(kind: FileKind, name: string, { files }: Access): Promise<FilePath> {
  const place = await files.find(name);
  if (!place) throw new Error(invalid(kind, name));
  return place.path;
}

/** `validate` and `fingerprint` of a node that reads the file which its input of that name names. */
export const fileChecks = (kind: FileKind, input: string = kind) => ({
  validate: {
    inputs: [input],
    check: async ({ [input]: name }: Values, { files }: Access) =>
      typeof name !== 'string' || (await files.find(name)) ? true : invalid(kind, name),
  },
  fingerprint: async ({ [input]: name }: Values, { files }: Access) => {
    const place = typeof name === 'string' ? await files.find(name) : undefined;
    return place && files.digest(place.path);
  },
});
