/** Work that only ports can be given: sockets that break, pulls from a hub, and engines that are killed. */
import { once } from 'node:events';
import { WebSocket } from 'ws';
import { childProcesses } from '../support/processes/child-processes.ts';
import type { RunningShim } from '../support/processes/shim.ts';
import type { Activity } from './activities.ts';

/** The repository of the hub that is pulled and deleted. */
export const PULLED = 'soak/pulled';

export function portActivities(shim: RunningShim): Activity[] {
  return [sockets(shim), pulls, kills(shim)];
}

const sockets = (shim: RunningShim): Activity => ({
  name: 'sockets',
  pause: 500,
  async turn(_door, turn) {
    const address = `ws://127.0.0.1:${shim.ports['image-workflows']}/ws?clientId=soak`;
    const opened = Array.from({ length: 10 }, (_value, at) => new WebSocket(`${address}-${turn}-${at}`));
    await Promise.all(opened.map((socket) => once(socket, 'message')));
    for (const [at, socket] of opened.entries()) {
      // Half of the clients break off without a closing handshake.
      if (at % 2 === 0) socket.terminate();
      else socket.close();
    }
  },
});

const pulls: Activity = {
  name: 'pulls',
  pause: 1000,
  async turn(door, turn) {
    const body = { model: `hf.co/${PULLED}` };
    const pull = { method: 'POST', path: '/api/pull', body };
    if (turn % 3 === 0) return door.leave('local-models', pull, 20);
    const { text } = await door.send('local-models', pull);
    if (!text.includes('"status":"success"')) throw new Error(`pull: ${text.slice(-300)}`);
    const { status } = await door.send('local-models', { method: 'DELETE', path: '/api/delete', body });
    if (status !== 200) throw new Error(`deletion of a pulled model: ${status}`);
  },
};

/** Kills an engine's process, whatever it does. */
const kills = (shim: RunningShim): Activity => ({
  name: 'kills',
  pause: 20_000,
  async turn(_door, turn) {
    const engines = childProcesses(shim.process.pid!, 'engine-process');
    const engine = engines[turn % Math.max(engines.length, 1)];
    if (engine !== undefined) process.kill(engine, 'SIGKILL');
  },
});
