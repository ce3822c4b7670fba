/** Kills parts of a cluster at random times. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { PostgresServer } from '../support/servers/postgres.ts';
import type { RedisServer } from '../support/servers/redis.ts';
import { chooseByWeight } from './choose.ts';
import type { Member } from './member.ts';

export const KILL_KINDS = ['worker', 'door', 'redis', 'postgres', 'freeze'] as const;
export type KillKind = (typeof KILL_KINDS)[number];

/** How often each kind is chosen, relative to the others. */
const WEIGHTS: Record<KillKind, number> = { worker: 45, door: 20, redis: 15, postgres: 15, freeze: 5 };
/** The share of kills of a server after which it is away for long, and the milliseconds. */
const LONG_SHARE = 0.12;
const LONG = 20_000;
/** The longest pause before a usual restart, and how long a frozen worker stays frozen. */
const SHORT = 2500;
const FROZEN = [4000, 16_000] as const;

export interface Kill {
  kind: KillKind;
  target: string;
  /** When it was killed, and when it was started again: milliseconds since 1970. */
  at: number;
  until: number;
}

export interface Targets {
  workers: Member[];
  doors: Member[];
  redis: RedisServer;
  postgres: PostgresServer;
}

export class Killer {
  readonly kills: Kill[] = [];
  readonly #running = new Set<Promise<void>>();
  readonly #away = new Set<string>();

  constructor(
    private readonly targets: Targets,
    private readonly random: () => number,
    private readonly kinds: readonly KillKind[],
  ) {}

  /** Kills something that runs. Returns at once; the restart follows. */
  strike(): void {
    for (;;) {
      const kind = chooseByWeight(this.kinds, (each) => WEIGHTS[each], this.random);
      const members = kind === 'door' ? this.targets.doors : this.targets.workers;
      const member = members[Math.floor(this.random() * members.length)]!;
      const target = kind === 'redis' || kind === 'postgres' ? kind : member.name;
      const down = this.#pause(kind);
      if (this.#away.has(target) || (target === member.name && !member.isUp)) {
        // Everything may be away already.
        if (this.#away.size > this.targets.workers.length) return;
        continue;
      }
      this.#away.add(target);
      const kill: Kill = { kind, target, at: Date.now(), until: 0 };
      this.kills.push(kill);
      const done = this.#apply(kind, member, down).then(() => {
        kill.until = Date.now();
        this.#away.delete(target);
      });
      this.#running.add(done);
      void done.finally(() => this.#running.delete(done));
      return;
    }
  }

  /** Resolves when everything was started again. */
  async settled(): Promise<void> {
    await Promise.all(this.#running);
  }

  #pause(kind: KillKind): number {
    const [part, share] = [this.random(), this.random()];
    if (kind === 'freeze') return FROZEN[0] + part * (FROZEN[1] - FROZEN[0]);
    const isServer = kind === 'redis' || kind === 'postgres';
    return isServer && share < LONG_SHARE ? LONG : part * SHORT;
  }

  async #apply(kind: KillKind, member: Member, down: number): Promise<void> {
    const { redis, postgres } = this.targets;
    switch (kind) {
      case 'worker':
      case 'door':
        member.kill(down);
        return void (await sleep(down));
      case 'freeze':
        return member.freeze(down);
      case 'redis':
        // It keeps nothing on its disk, so it starts without its data.
        await redis.process.stop('SIGKILL');
        await sleep(down);
        return untilStarted(() => redis.process.start());
      case 'postgres':
        await postgres.process.stop('SIGKILL');
        await sleep(down);
        return untilStarted(() => postgres.start());
    }
  }
}

/** PostgreSQL refuses to start while a process of the killed one still runs. */
async function untilStarted(start: () => Promise<void>): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await start();
    } catch (error) {
      if (attempt === 60) throw error;
      await sleep(250);
    }
  }
}
