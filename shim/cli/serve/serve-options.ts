import { isIPv6 } from 'node:net';
import { accessGate } from '../../access/access-gate.ts';
import type { Limits } from '../../access/allowance.ts';
import { digestOf, keptKey, keyOf, readKeys } from '../../access/api-keys.ts';
import { UsageError } from '../../base/usage-error.ts';
import { type KeptCertificate, keptCertificate } from '../../https/kept-certificate.ts';
import type { Gate } from '../../ports/gate.ts';
import { isLoopback } from '../../ports/open-ports.ts';
import type { Arguments } from '../arguments.ts';

type Given = Pick<Arguments, 'options'> & { home: string };

/** Who may ask, when not everybody may. */
export interface Access {
  gate: Gate;
  /** One of the keys is shown. */
  knows(headers: Headers): boolean;
  /** For the command line of this home. */
  key: string;
  notice: string;
}

/** `--api-key` and its limits. Throws `UsageError`. */
export function readAccess(args: Given, env: NodeJS.ProcessEnv): Access | undefined {
  const given = args.options['api-key'];
  const listed = env.TABD_API_KEYS?.trim();
  const limits: Limits = {
    perMinute: numberOf(args, 'rate-limit'),
    atOnce: numberOf(args, 'parallel-limit'),
  };
  if (given === undefined && !listed) {
    if (limits.perMinute !== undefined || limits.atOnce !== undefined) {
      throw new UsageError('limits are counted for each key: add --api-key');
    }
    return undefined;
  }
  const named = typeof given === 'string' && given !== '' ? readKeys(given, '--api-key') : [];
  const keys = [...named, ...(listed ? readKeys(listed, 'TABD_API_KEYS') : [])];
  let notice = `callers of the model and image ports show one of ${keys.length} key(s)`;
  if (keys.length === 0) {
    const { key, file, isNew } = keptKey(args.home);
    keys.push(key);
    notice = `callers of the model and image ports show the key in ${file}${isNew ? `: ${key}` : ''}`;
  }
  const digests = new Set(keys.map(digestOf));
  return {
    gate: accessGate(keys, limits),
    knows: (headers) => {
      const key = keyOf(headers);
      return key !== undefined && digests.has(digestOf(key));
    },
    key: keys[0]!,
    notice,
  };
}

export interface Https {
  certificate: KeptCertificate;
  /** As addresses have them; without those that only this computer reaches. */
  hosts: string[];
}

/** `--https`. */
export async function readHttps(args: Given): Promise<Https | undefined> {
  if (!args.options.https) return undefined;
  const certificate = await keptCertificate(args.home);
  const outside = certificate.hosts.filter((host) => host !== 'localhost' && !isLoopback(host));
  return { certificate, hosts: ['localhost', ...outside].map((host) => (isIPv6(host) ? `[${host}]` : host)) };
}

/** Throws `UsageError`. */
export function readLogFormat({ options }: Pick<Arguments, 'options'>): 'text' | 'json' {
  const format = options['log-format'] ?? 'text';
  if (format !== 'text' && format !== 'json') throw new UsageError('--log-format is text or json');
  return format;
}

function numberOf({ options }: Given, name: 'rate-limit' | 'parallel-limit'): number | undefined {
  const text = options[name];
  if (text === undefined) return undefined;
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) throw new UsageError(`--${name} is a whole number from 1 on`);
  return value;
}
