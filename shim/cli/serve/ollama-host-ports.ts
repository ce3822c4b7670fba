import { parseOllamaHost, textSetting } from '#core/settings';
import { isLoopbackOnly } from '../../ports/open-ports.ts';
import type { PortChoice } from '../../ports/port-choice.ts';

/**
 * The ports, with that of the local models where OLLAMA_HOST wants it: on its address, and on its port unless `--ports`
 * named another. `notices`: what a person should know of it.
 */
export function withOllamaHost(
  ports: PortChoice[],
  env: NodeJS.ProcessEnv,
  speaksHttps = false,
): { ports: PortChoice[]; notices: string[] } {
  const text = textSetting({ setting: (name) => env[name] }, 'OLLAMA_HOST');
  if (text === '') return { ports, notices: [] };
  const { scheme, host, port, hasPort: portGiven, path, warning } = parseOllamaHost(text);
  const address = host === '' ? 'any' : isLoopbackOnly(host) ? undefined : host;
  const notices = [
    warning,
    scheme === 'https' &&
      !speaksHttps &&
      `OLLAMA_HOST says https: tabd answers plain http, start it with --https`,
    path && `OLLAMA_HOST: the path ${path} is for clients, tabd answers at the root`,
    address && `OLLAMA_HOST: the models are reachable at ${host || 'all addresses'}, for whoever gets there`,
  ].filter((notice) => typeof notice === 'string' && notice !== '');
  return {
    ports: ports.map((choice) => {
      if (choice.name !== 'local-models') return choice;
      const named = portGiven && !choice.explicit && choice.port !== undefined;
      return { ...choice, ...(named && { port, explicit: true }), address };
    }),
    notices: notices as string[],
  };
}
