/**
 * Names under which a program of this computer asks it. Another name on a socket that only this computer reaches is one
 * that a web site has made to point here (DNS rebinding), so that its pages count as ours.
 */

/** `[::1]:11434` -> `::1` */
export function withoutPort(host: string): string {
  if (host.startsWith('[')) return host.slice(1, host.indexOf(']'));
  return host.replace(/:[0-9]*$/, '');
}

export function isIpAddress(name: string): boolean {
  return /^[0-9]{1,3}(\.[0-9]{1,3}){3}$/.test(name) || name.includes(':');
}

export interface MachineNames {
  /** Name of this machine. */
  hostname?: string;
  /** Its addresses on the network. */
  addresses?(): string[];
}

/** `name` as `withoutPort` gives it. */
export function isLoopbackOrPrivate(name: string, here: MachineNames = {}): boolean {
  if (isIpAddress(name)) return isNearIp(name) || (here.addresses?.().includes(name) ?? false);
  const lower = name.toLowerCase();
  return (
    lower === '' ||
    lower === 'localhost' ||
    lower === here.hostname?.toLowerCase() ||
    /\.(localhost|local|internal)$/.test(lower)
  );
}

/** Loopback, private, unspecified. */
function isNearIp(name: string): boolean {
  const [a = -1, b = -1] = name.split('.').map(Number);
  if (name.includes(':')) return /^(::|::1)$/.test(name) || /^f[cd]/i.test(name);
  if (name === '0.0.0.0') return true;
  return a === 127 || a === 10 || (a === 172 && b >= 16 && b <= 31) || (a === 192 && b === 168);
}
