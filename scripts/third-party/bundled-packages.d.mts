interface Bundle {
  [file: string]: { moduleIds?: string[] };
}
export function collectPackages(folders: Set<string>): {
  name: string;
  generateBundle(options: unknown, bundle: Bundle): void;
};
export function packageFolder(id: string): string | undefined;
export function installedFolder(root: string, name: string): string;
