export function findBrowser(): Promise<string | undefined>;
export function ensureBrowser(log?: (line: string) => void): Promise<string>;
