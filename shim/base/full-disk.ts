/** Whether a call of the operating system failed because the disk, or the user's quota, is full. */
export function isDiskFullError(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ENOSPC' || code === 'EDQUOT';
}
