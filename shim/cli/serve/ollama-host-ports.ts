import { parseOllamaHost, textSetting } from '#core/settings';
import { isLoopbackOnly } from '../../ports/open-ports.ts';
import type { PortChoice } from '../../ports/port-choice.ts';

/**
 * Applies OLLAMA_HOST to the port of the local models: its address, and its number unless `--ports` names one.
 * `notices`: messages for the user.
 */
export function withOllamaHost(
  ports: PortChoice[],
  env: NodeJS.ProcessEnv,
  speaksHttps = false,
): { ports: PortChoice[]; notices: string[] } {
  const text = textSetting({ setting: (name) => env[name] }, 'OLLAMA_HOST');
  if (text === '') return { ports, notices: [] };
  const { scheme, host, port, hasPort: hasOwnPort, path, warning } = parseOllamaHost(text);
  const address = host === '' ? 'any' : isLoopbackOnly(host) ? undefined : host;
  const notices = [
    warning,
    scheme === 'https' &&
      !speaksHttps &&
      `OLLAMA_HOST says https: tabd answers plain http, start it with --https`,
    path && `OLLAMA_HOST: the path ${path} is for clients, tabd answers at the root`,
    address && `OLLAMA_HOST: the models are reachable from other computers, at ${host || 'all addresses'}`,
  ].filter((notice) => typeof notice === 'string' && notice !== '');
  return {
    ports: ports.map((choice) => {
      if (choice.name !== 'local-models') return choice;
      const named = hasOwnPort && !choice.explicit && choice.port !== undefined;
      return { ...choice, ...(named && { port, explicit: true }), address };
    }),
    notices: notices as string[],
  };
}
