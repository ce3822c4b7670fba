import { textSetting } from '#core/settings';
import type { PortChoice } from '../../ports/port-choice.ts';

/** The ports, after N8N_PORT has changed the choice of the webhooks, unless `--ports` names another. */
export function withWebhooksPort(
  ports: PortChoice[],
  env: NodeJS.ProcessEnv,
): { ports: PortChoice[]; notices: string[] } {
  const text = textSetting({ setting: (name) => env[name] }, 'N8N_PORT');
  if (text === '') return { ports, notices: [] };
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (!(port > 0 && port <= 65535)) {
    return { ports, notices: [`N8N_PORT: '${text}' is not a port number, so that the default port is used`] };
  }
  const isWebhooks = ({ name, explicit, port: usual }: PortChoice) =>
    name === 'webhooks' && !explicit && usual !== undefined;
  return {
    ports: ports.map((choice) => (isWebhooks(choice) ? { ...choice, port, explicit: true } : choice)),
    notices: [],
  };
}
