import { textSetting } from '#core/settings';
import type { PortChoice } from '../../ports/port-choice.ts';

/** The ports, with that of the webhooks where N8N_PORT wants it, unless `--ports` named another. */
export function withWebhooksPort(
  ports: PortChoice[],
  env: NodeJS.ProcessEnv,
): { ports: PortChoice[]; notices: string[] } {
  const text = textSetting({ setting: (name) => env[name] }, 'N8N_PORT');
  if (text === '') return { ports, notices: [] };
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (!(port > 0 && port <= 65535)) {
    return { ports, notices: [`N8N_PORT: '${text}' is no port number, the usual one is used`] };
  }
  const isWebhooks = ({ name, explicit, port: usual }: PortChoice) =>
    name === 'webhooks' && !explicit && usual !== undefined;
  return {
    ports: ports.map((one) => (isWebhooks(one) ? { ...one, port, explicit: true } : one)),
    notices: [],
  };
}
