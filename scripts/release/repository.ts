/** The field `repository` of a package. The registry compares it with the provenance of what is published. */
export interface RepositoryField {
  type: 'git';
  url: string;
  directory?: string;
}

/**
 * @param remote the address of the remote repository: `git@host:user/name.git`, `ssh://…` or `https://…`
 * @param directory of the package in the repository; '.' is its root
 * @throws for an address that others cannot read, such as a folder
 */
export function repositoryField(remote: string, directory = '.'): RepositoryField {
  const [, host, path] =
    /^(?:ssh:\/\/|https:\/\/)?(?:[^@/]+@)?([\w.-]+\.[a-z]+)[:/]([^?#]+?)(?:\.git)?\/?$/i.exec(remote) ?? [];
  if (!host || !path) throw new Error(`"${remote}" is not the address of a public repository`);
  return {
    type: 'git',
    url: `git+https://${host}/${path}.git`,
    ...(directory !== '.' && { directory }),
  };
}
