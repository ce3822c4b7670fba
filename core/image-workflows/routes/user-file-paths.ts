/** The file names in addresses below `/userdata/`. A slash inside of a name is percent-encoded. */
import { decodePercent } from '#core/base';
import { relativePath } from '../files/paths.ts';

/** `outside`: the name leads out of the user's folder, or to the folder itself. */
export type UserFilePath = string | 'outside';

/** Undefined: the address has a slash that is not encoded, which no file has. */
export function userFilePath(url: URL): UserFilePath | undefined {
  const [file, ...more] = partsOf(url);
  return more.length > 0 ? undefined : pathInside(file!);
}

/** `/userdata/FROM/move/TO` */
export function isMove(url: URL): boolean {
  const parts = partsOf(url);
  return parts.length === 3 && parts[1] === 'move';
}

export function movePaths(url: URL): [from: UserFilePath, to: UserFilePath] {
  const [from, , to] = partsOf(url);
  return [pathInside(from!), pathInside(to!)];
}

function partsOf(url: URL): string[] {
  const raw = url.pathname.split('/userdata/')[1] ?? '';
  return raw.split('/').map(decodePercent);
}

const pathInside = (path: string): UserFilePath => relativePath(path) || 'outside';
