interface PackageName {
  name: string;
  version: string;
}
export function writeNotices(folder: string, owner: PackageName, packageFolders: Iterable<string>): void;
export function readPackage(path: string): PackageName;
