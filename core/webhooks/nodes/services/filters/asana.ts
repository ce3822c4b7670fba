/** Filters of Asana. */
import { commaList } from '../../shared/comma-list.ts';

/** The fields that `*` stands for. */
const ALL =
  'gid,resource_type,name,approval_status,assignee_status,completed,completed_at,completed_by,created_at,dependencies,dependents,due_at,due_on,external,html_notes,liked,likes,memberships,modified_at,notes,num_likes,resource_subtype,start_on,assignee,custom_fields,followers,parent,permalink_url,projects,tags,workspace';

/** The fields that an answer has, as one text. */
export function asanaFields(value: unknown): string {
  const names = commaList(value);
  return names.includes('*') ? ALL : names.join(',');
}
