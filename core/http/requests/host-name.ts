/**
 * Names by which a request can address this computer. On a socket that this computer alone reaches, a `Host` header with
 * another name comes from a web site whose name points here (DNS rebinding).
 */

/** The host without its port and brackets: `[::1]:11434` -> `::1`. */
export function withoutPort(host: string): string {
  if (host.startsWith('[')) return host.slice(1, host.indexOf(']'));
  return host.replace(/:[0-9]*$/, '');
}

/** Whether a name is an IP address. Any text with a colon counts as IPv6. */
export function isIpAddress(name: string): boolean {
  return /^[0-9]{1,3}(\.[0-9]{1,3}){3}$/.test(name) || name.includes(':');
}

/** The names of this machine, as `Machine` has them. */
export interface MachineNames {
  hostname?: string;
  /** The machine's IP addresses on the network. */
  addresses?(): string[];
}

/**
 * Whether a name means this computer or its network. True for:
 * - loopback, private and unspecified addresses, and the machine's own ones
 * - `localhost`, the machine's own name, and an empty name
 * - names under `.localhost`, `.local` and `.internal`
 * @param name without a port, see `withoutPort`
 */
export function isLoopbackOrPrivate(name: string, machine: MachineNames = {}): boolean {
  if (isIpAddress(name)) return isPrivateIp(name) || (machine.addresses?.().includes(name) ?? false);
  const lower = name.toLowerCase();
  return (
    lower === '' ||
    lower === 'localhost' ||
    lower === machine.hostname?.toLowerCase() ||
    /\.(localhost|local|internal)$/.test(lower)
  );
}

/** Loopback, private (RFC 1918, RFC 4193) or unspecified. */
function isPrivateIp(name: string): boolean {
  if (name.includes(':')) return /^(::|::1)$/.test(name) || /^f[cd]/i.test(name);
  if (name === '0.0.0.0') return true;
  const [a = -1, b = -1] = name.split('.').map(Number);
  return a === 127 || a === 10 || (a === 172 && b >= 16 && b <= 31) || (a === 192 && b === 168);
}
