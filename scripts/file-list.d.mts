export function writeFileList(folder: string): void;
