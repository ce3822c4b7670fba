/** Texts about the processes of a cluster. */
import type { ApiName } from '#core/http';
import { clusterStrings as strings } from '../strings/cluster.ts';
import { listText } from '../ui/format.ts';
import type { ClusterProcess } from './cluster-client.ts';

/** The names of APIs in one text. */
export function apiNames(apis: readonly ApiName[]): string {
  if (apis.length === 0) return strings.nothing;
  return listText(apis.map((api) => strings.apis[api]));
}

/** The state of a worker. */
export function stateOf({ apis, draining }: Pick<ClusterProcess, 'apis' | 'draining'>): string {
  if (draining) return strings.states.draining;
  return apis.length > 0 ? strings.states.working : strings.states.starting;
}

/** The beginning and the end of a long name. The end makes it unique. */
export function shortName(process: string): string {
  return process.length <= 34 ? process : `${process.slice(0, 20)}…${process.slice(-12)}`;
}
