/** Settings of the workflow server, by their documented names. */
import { countSetting, type Settings, textSetting } from '../settings/read-setting.ts';

export interface WorkflowSettings {
  /** IANA name for workflows that set none. */
  timezone: string;
  /** Where callers reach this server from outside, without a slash at the end. */
  publicAddress: string;
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
  /** Milliseconds that finished runs are kept; undefined = for ever. */
  keptFor: number | undefined;
  /** Finished runs kept at most; undefined = all. */
  kept: number | undefined;
}

const DEFAULT_ADDRESS = 'http://localhost:5678';

export function workflowSettings(host: Settings): WorkflowSettings {
  const says = (name: string, otherwise: string) => textSetting(host, name) || otherwise;
  const seconds = Number(says('EXECUTIONS_TIMEOUT', '-1'));
  const prune = says('EXECUTIONS_DATA_PRUNE', 'true') !== 'false';
  return {
    timezone: knownZone(says('GENERIC_TIMEZONE', 'America/New_York')),
    publicAddress: says('WEBHOOK_URL', says('N8N_WEBHOOK_URL', DEFAULT_ADDRESS)).replace(/\/+$/, ''),
    timeout: Math.max(0, seconds) || 0,
    longestTimeout: countSetting(host, 'EXECUTIONS_TIMEOUT_MAX') ?? 3600,
    running: countSetting(host, 'N8N_CONCURRENCY_PRODUCTION_LIMIT') ?? 100,
    queued: 10_000,
    saveSuccess: says('EXECUTIONS_DATA_SAVE_ON_SUCCESS', 'all') !== 'none',
    saveError: says('EXECUTIONS_DATA_SAVE_ON_ERROR', 'all') !== 'none',
    saveManual: says('EXECUTIONS_DATA_SAVE_MANUAL_EXECUTIONS', 'true') !== 'false',
    saveProgress: says('EXECUTIONS_DATA_SAVE_ON_PROGRESS', 'false') === 'true',
    keptFor: prune ? Number(says('EXECUTIONS_DATA_MAX_AGE', '336')) * 3_600_000 || undefined : undefined,
    kept: prune ? Number(says('EXECUTIONS_DATA_PRUNE_MAX_COUNT', '10000')) || undefined : undefined,
  };
}

function knownZone(zone: string): string {
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone });
    return zone;
  } catch {
    return 'UTC';
  }
}
