import type { ServerReport } from '#core/frames';
import type { PairedTab } from '../paired-tabs.ts';
import type { TabConnection } from './tab-connection.ts';

/** A paired browser as people and programs see it. It has no secret. */
export interface TabDescription extends Omit<ServerReport, 'loaded'> {
  id: string;
  name: string;
  /** Whether it has the state of the ports: workflows, images, uploads. */
  home: boolean;
  /** ISO 8601. */
  paired_at: string;
  /** `away`: no tab of the browser is open. `silent`: it does not react now. */
  state: 'connected' | 'silent' | 'away';
  /** Requests that it is answering now. */
  requests: number;
  /** Names of the models in its memory. */
  loaded: string[];
}

export function describeTab(
  { id, name, pairedAt }: PairedTab,
  isHome: boolean,
  connection: TabConnection | undefined,
): TabDescription {
  const facts = { id, name, home: isHome, paired_at: pairedAt };
  if (!connection) return { ...facts, state: 'away', requests: 0, loaded: [] };
  const { report, outstanding } = connection;
  return {
    ...facts,
    ...report,
    state: connection.isResponsive ? 'connected' : 'silent',
    requests: outstanding,
    loaded: report.loaded ?? [],
  };
}
