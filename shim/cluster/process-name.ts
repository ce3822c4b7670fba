import { hostname } from 'node:os';

/** A name that no other process has had. */
export const newProcessName = (role: string): string =>
  `${role}-${hostname().slice(0, 40)}-${process.pid}-${crypto.randomUUID().slice(0, 8)}`;
