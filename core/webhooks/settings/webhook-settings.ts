/** Settings of the workflow server, by their documented names. */
import type { Host } from '#core/host';
import { DEFAULT_PORTS } from '#core/http';
import { countSetting, flagSetting, type SettingSource, textSetting } from '#core/settings';
import type { AddressRules } from '../outgoing/guarded-network.ts';
import { type Endpoints, readEndpoints } from './endpoints.ts';
import { readPublicAddress } from './public-address.ts';

/** The largest request bodies, in bytes. */
export interface BodyLimits {
  /** For a body that is parsed as a whole (`N8N_PAYLOAD_SIZE_MAX`). */
  parsed: number;
  /** For a body that is a file, and for a form with all its files (`N8N_FORMDATA_FILE_SIZE_MAX`). */
  files: number;
}

export interface WebhookSettings {
  /** IANA name for workflows that set none. */
  timezone: string;
  /** Where callers reach this server from outside, without a slash at the end. */
  publicAddress: string;
  endpoints: Endpoints;
  /** Seconds; 0 = none. */
  timeout: number;
  /** Seconds; what a workflow itself may ask for. */
  longestTimeout: number;
  /** Runs of production at once, and how many more may wait for their turn. */
  running: number;
  queued: number;
  saveSuccess: boolean;
  saveError: boolean;
  saveManual: boolean;
  saveProgress: boolean;
  /** What a call may bring. */
  bodyLimits: BodyLimits;
  /** Proxies before this server whose word on the caller's address counts. */
  proxyHops: number;
  /** Answers of workflows are shown by browsers without rights over this origin. */
  sandboxedAnswers: boolean;
  /** Milliseconds that finished runs are kept; undefined = for ever. */
  maxAge: number | undefined;
  /** Finished runs kept at most; undefined = all. */
  maxSaved: number | undefined;
}

const MIB = 1024 * 1024;

export function readWebhookSettings(host: Pick<Host, 'setting' | 'capabilities'>): WebhookSettings {
  const says = (name: string, otherwise: string) => textSetting(host, name) || otherwise;
  const seconds = Number(says('EXECUTIONS_TIMEOUT', '-1'));
  const prune = says('EXECUTIONS_DATA_PRUNE', 'true') !== 'false';
  return {
    timezone: knownZone(says('GENERIC_TIMEZONE', 'America/New_York')),
    publicAddress: readPublicAddress(host),
    endpoints: readEndpoints(host).endpoints,
    timeout: Math.max(0, seconds) || 0,
    longestTimeout: countSetting(host, 'EXECUTIONS_TIMEOUT_MAX') ?? 3600,
    running: countSetting(host, 'N8N_CONCURRENCY_PRODUCTION_LIMIT') ?? 100,
    queued: countSetting(host, 'TABD_WEBHOOK_QUEUE') ?? 10_000,
    saveSuccess: says('EXECUTIONS_DATA_SAVE_ON_SUCCESS', 'all') !== 'none',
    saveError: says('EXECUTIONS_DATA_SAVE_ON_ERROR', 'all') !== 'none',
    saveManual: says('EXECUTIONS_DATA_SAVE_MANUAL_EXECUTIONS', 'true') !== 'false',
    saveProgress: says('EXECUTIONS_DATA_SAVE_ON_PROGRESS', 'false') === 'true',
    bodyLimits: {
      parsed: sizeSetting(host, 'N8N_PAYLOAD_SIZE_MAX', 16),
      files: sizeSetting(host, 'N8N_FORMDATA_FILE_SIZE_MAX', 200),
    },
    proxyHops: countSetting(host, 'N8N_PROXY_HOPS') ?? 0,
    sandboxedAnswers: says('N8N_INSECURE_DISABLE_WEBHOOK_IFRAME_SANDBOX', 'false') !== 'true',
    maxAge: prune ? Number(says('EXECUTIONS_DATA_MAX_AGE', '336')) * 3_600_000 || undefined : undefined,
    maxSaved: prune ? Number(says('EXECUTIONS_DATA_PRUNE_MAX_COUNT', '10000')) || undefined : undefined,
  };
}

/** Set in MiB, with a fraction if one likes. Bytes. */
function sizeSetting(host: SettingSource, name: string, otherwise: number): number {
  const given = Number(textSetting(host, name));
  return Math.floor((given > 0 ? given : otherwise) * MIB);
}

function knownZone(zone: string): string {
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone });
    return zone;
  } catch {
    return 'UTC';
  }
}

/** Which addresses workflows may send requests to. */
export function networkRules(host: SettingSource): AddressRules {
  const own = [textSetting(host, 'N8N_PORT'), /:(\d+)\/?$/.exec(textSetting(host, 'OLLAMA_HOST') ?? '')?.[1]];
  return {
    allowPrivate: flagSetting(host, 'TABD_ALLOW_PRIVATE_ADDRESSES'),
    ownPorts: [...Object.values(DEFAULT_PORTS), ...own.map(Number).filter((port) => port > 0)],
  };
}
