import { errorMessage } from '#core/base';
import { type Cluster, PeerNotReached, type QueuedExecution, type WatchedCollection } from '#core/host';
import type { ApiName, CallContext } from '#core/http';
import type { ClusterEvents } from './cluster-events.ts';
import type { JobQueue } from './job-queue.ts';
import type { Peers } from './peers.ts';
import type { PostgresCluster } from './postgres-cluster.ts';
import type { Presence } from './presence.ts';

interface HostClusterParts {
  /** Decides who runs and who leads. */
  postgres: PostgresCluster;
  queue: JobQueue;
  peers: Peers;
  events: ClusterEvents;
  presence: Presence;
}

/** The agreements of a worker's core with the other processes. */
export class HostCluster implements Cluster {
  constructor(private readonly parts: HostClusterParts) {}

  get process(): string {
    return this.parts.postgres.process;
  }

  get isWatched(): boolean {
    return this.parts.events.isWatched;
  }

  isRunning(process: string): Promise<boolean> {
    return this.parts.postgres.isRunning(process);
  }

  nextNumber(sequence: string, lowest: number): Promise<number> {
    return this.parts.postgres.nextNumber(sequence, lowest);
  }

  claim(right: string): Promise<(() => Promise<void>) | undefined> {
    return this.parts.postgres.claim(right);
  }

  onChange(collection: WatchedCollection, listener: (key: string | undefined) => void): void {
    this.parts.postgres.onChange(collection, listener);
  }

  queueExecutions(entries: QueuedExecution[]): Promise<void> {
    return this.parts.queue.addExecutions(entries);
  }

  queueLength(): Promise<number> {
    return this.parts.queue.length();
  }

  async ask(process: string, api: string, request: Request): Promise<Response> {
    let isAccepted = false;
    const onAccepted = () => {
      isAccepted = true;
    };
    try {
      return await this.parts.peers.fetch(process, {
        request,
        context: peerContext(api as ApiName),
        onAccepted,
      });
    } catch (error) {
      throw isAccepted ? error : new PeerNotReached(errorMessage(error), { cause: error });
    }
  }

  workers(api: string): string[] {
    return this.parts.presence.workers(api as ApiName).map(({ process }) => process);
  }

  onWorkers(listener: () => void): void {
    this.parts.presence.onUpdate(listener);
  }

  publish(event: object): void {
    this.parts.events.publish(event);
  }

  subscribe(listener: (event: object) => void): () => void {
    return this.parts.events.subscribe(listener);
  }
}

/** The context of a request that a process sends on its own behalf. */
export const peerContext = (listener: ApiName): CallContext => ({
  listener,
  loopback: true,
  clientAddress: '127.0.0.1',
  appOrigins: [],
  caller: 'peer',
});
