import { jsonResponse, type RouteCall } from '#core/http';
import type { LocalModelServices } from '../runs/services.ts';

/**
 * GET /api/experimental/published-files: the files of weights that published graphs name, and where a pull finds them.
 * With one or several `name`: those files alone.
 */
export async function listPublishedFiles(
  _services: LocalModelServices,
  { url }: RouteCall,
): Promise<Response> {
  const { publishedFiles } = await import('../registry/lazy.ts');
  const names = new Set(url.searchParams.getAll('name').map((name) => name.toLowerCase()));
  const files = publishedFiles.filter(({ name }) => names.size === 0 || names.has(name.toLowerCase()));
  return jsonResponse({
    files: files.map(({ name, folder, repository, path, licence, aboutBytes }) => ({
      name,
      folder,
      source: `hf.co/${repository}/${path}`,
      ...(licence !== undefined && { license: licence }),
      ...(aboutBytes !== undefined && { about_size: aboutBytes }),
    })),
  });
}
