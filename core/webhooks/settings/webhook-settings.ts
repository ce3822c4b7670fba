/** Settings of the webhook server. Their names are those of n8n, where n8n has them. */
import type { Host, Machine } from '#core/host';
import { countSetting, flagSetting, type SettingSource, textSetting } from '#core/settings';
import type { AddressRules } from '../outgoing/guarded-network.ts';
import { type Endpoints, readEndpoints } from './endpoints.ts';
import { readPublicAddress } from './public-address.ts';

/** The largest request bodies, in bytes. */
export interface BodyLimits {
  /** The limit for a body that is parsed (`N8N_PAYLOAD_SIZE_MAX`). */
  parsed: number;
  /** The limit for a body that is a file, and for a form with all its files (`N8N_FORMDATA_FILE_SIZE_MAX`). */
  files: number;
}

export interface WebhookSettings {
  /** IANA name, for workflows that set none. */
  timezone: string;
  /** The address at which clients reach this server, without a slash at its end. */
  publicAddress: string;
  endpoints: Endpoints;
  /** Seconds that an execution may take; 0 = no limit. */
  timeout: number;
  /** Seconds; the upper limit for a workflow's own setting. */
  longestTimeout: number;
  /** Executions of calls and schedules that run at once. */
  maxRunning: number;
  /** Executions that may wait in the queue. */
  maxQueued: number;
  saveSuccess: boolean;
  saveError: boolean;
  saveManual: boolean;
  saveProgress: boolean;
  /** Whether a process of a cluster repeats the execution of one that died, though some nodes have run. */
  retriesTakenOver: boolean;
  bodyLimits: BodyLimits;
  /** Number of trusted proxies in front of this server. */
  proxyHops: number;
  /** Browsers show the responses of workflows without the rights of this origin. */
  sandboxedResponses: boolean;
  /** Milliseconds after which finished executions are deleted. Undefined: never. */
  maxAge: number | undefined;
  /** The number of finished executions on record. Undefined: no limit. */
  maxSaved: number | undefined;
}

const MIB = 1024 * 1024;

export function readWebhookSettings(host: Pick<Host, 'setting' | 'capabilities'>): WebhookSettings {
  const read = (name: string, otherwise: string) => textSetting(host, name) || otherwise;
  const seconds = Number(read('EXECUTIONS_TIMEOUT', '-1'));
  const prune = read('EXECUTIONS_DATA_PRUNE', 'true') !== 'false';
  return {
    timezone: supportedTimezone(read('GENERIC_TIMEZONE', 'America/New_York')),
    publicAddress: readPublicAddress(host),
    endpoints: readEndpoints(host).endpoints,
    timeout: Math.max(0, seconds) || 0,
    longestTimeout: countSetting(host, 'EXECUTIONS_TIMEOUT_MAX') ?? 3600,
    maxRunning: countSetting(host, 'N8N_CONCURRENCY_PRODUCTION_LIMIT') ?? 100,
    maxQueued: countSetting(host, 'TABD_WEBHOOK_QUEUE') ?? 10_000,
    saveSuccess: read('EXECUTIONS_DATA_SAVE_ON_SUCCESS', 'all') !== 'none',
    saveError: read('EXECUTIONS_DATA_SAVE_ON_ERROR', 'all') !== 'none',
    saveManual: read('EXECUTIONS_DATA_SAVE_MANUAL_EXECUTIONS', 'true') !== 'false',
    saveProgress: read('EXECUTIONS_DATA_SAVE_ON_PROGRESS', 'false') === 'true',
    retriesTakenOver: read('TABD_TAKEOVER', 'fail') === 'retry',
    bodyLimits: {
      parsed: sizeSetting(host, 'N8N_PAYLOAD_SIZE_MAX', 16),
      files: sizeSetting(host, 'N8N_FORMDATA_FILE_SIZE_MAX', 200),
    },
    proxyHops: countSetting(host, 'N8N_PROXY_HOPS') ?? 0,
    sandboxedResponses: read('N8N_INSECURE_DISABLE_WEBHOOK_IFRAME_SANDBOX', 'false') !== 'true',
    maxAge: prune ? Number(read('EXECUTIONS_DATA_MAX_AGE', '336')) * 3_600_000 || undefined : undefined,
    maxSaved: prune ? Number(read('EXECUTIONS_DATA_PRUNE_MAX_COUNT', '10000')) || undefined : undefined,
  };
}

/** A size that is set in MiB, perhaps with a fraction, in bytes. */
function sizeSetting(host: SettingSource, name: string, otherwise: number): number {
  const size = Number(textSetting(host, name));
  return Math.floor((size > 0 ? size : otherwise) * MIB);
}

/** UTC for a timezone that the platform does not know. */
function supportedTimezone(zone: string): string {
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone });
    return zone;
  } catch {
    return 'UTC';
  }
}

/** The addresses that workflows may send requests to. A port that another program holds is not one of the own ports. */
export function networkRules(host: SettingSource & { machine: Pick<Machine, 'openPorts'> }): AddressRules {
  return {
    allowPrivate: flagSetting(host, 'TABD_ALLOW_PRIVATE_ADDRESSES'),
    isOwnPort: (port) => host.machine.openPorts?.().includes(port) ?? false,
  };
}
