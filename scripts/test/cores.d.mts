export function coresOf(list: string): number[];
export function halvesOfCores(): [string, string] | undefined;
