import { isIPv6 } from 'node:net';
import { accessGate, type LimiterOf } from '../../access/access-gate.ts';
import { keyDigest, keyInHeaders, parseApiKeys, storedApiKey } from '../../access/api-keys.ts';
import type { KeyLimits } from '../../access/rate-limiter.ts';
import { UsageError } from '../../base/usage-error.ts';
import { type StoredCertificate, storedCertificate } from '../../https/stored-certificate.ts';
import { isLoopbackAddress } from '../../ports/open-ports.ts';
import type { PortGate } from '../../ports/port-gate.ts';
import type { Arguments } from '../arguments.ts';

type ServeArguments = Pick<Arguments, 'options'> & { home: string };

/** Restricts the ports to callers with a key. */
export interface Access {
  gate: PortGate;
  /** Whether the headers carry one of the keys. */
  knows(headers: Headers): boolean;
  /** A key for the command line of this home. */
  key: string;
  notice: string;
}

/**
 * Reads `--api-key` and its limits.
 * @param limiterOf creates the limiter of a key. Default: one of this process
 * @throws UsageError
 */
export function readAccess(
  args: ServeArguments,
  env: NodeJS.ProcessEnv,
  limiterOf?: LimiterOf,
): Access | undefined {
  const option = args.options['api-key'];
  const listed = env.TABD_API_KEYS?.trim();
  const limits: KeyLimits = {
    perMinute: numberOf(args, 'rate-limit'),
    atOnce: numberOf(args, 'parallel-limit'),
  };
  if (option === undefined && !listed) {
    if (limits.perMinute !== undefined || limits.atOnce !== undefined) {
      throw new UsageError('limits apply to each key: add --api-key');
    }
    return undefined;
  }
  const named = typeof option === 'string' && option !== '' ? parseApiKeys(option, '--api-key') : [];
  const keys = [...named, ...(listed ? parseApiKeys(listed, 'TABD_API_KEYS') : [])];
  let notice = `callers of the model and image ports need one of ${keys.length} key(s)`;
  if (keys.length === 0) {
    const { key, file, isNew } = storedApiKey(args.home);
    keys.push(key);
    notice = `callers of the model and image ports need the key in ${file}${isNew ? `: ${key}` : ''}`;
  }
  const digests = new Set(keys.map(keyDigest));
  return {
    gate: accessGate(keys, limits, limiterOf),
    knows: (headers) => {
      const key = keyInHeaders(headers);
      return key !== undefined && digests.has(keyDigest(key));
    },
    key: keys[0]!,
    notice,
  };
}

export interface Https {
  certificate: StoredCertificate;
  /** Host names and addresses as URLs contain them, without loopback addresses except `localhost`. */
  hosts: string[];
}

/** Reads `--https`. Creates the certificate if needed. */
export async function readHttps(args: ServeArguments): Promise<Https | undefined> {
  if (!args.options.https) return undefined;
  const certificate = await storedCertificate(args.home);
  const reachable = certificate.hosts.filter((host) => host !== 'localhost' && !isLoopbackAddress(host));
  return {
    certificate,
    hosts: ['localhost', ...reachable].map((host) => (isIPv6(host) ? `[${host}]` : host)),
  };
}

/** @throws UsageError */
export function readLogFormat({ options }: Pick<Arguments, 'options'>): 'text' | 'json' {
  const format = options['log-format'] ?? 'text';
  if (format !== 'text' && format !== 'json') throw new UsageError('--log-format is text or json');
  return format;
}

function numberOf({ options }: ServeArguments, name: 'rate-limit' | 'parallel-limit'): number | undefined {
  const text = options[name];
  if (text === undefined) return undefined;
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) throw new UsageError(`--${name} is a whole number from 1 on`);
  return value;
}
