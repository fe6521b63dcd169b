/** The words that differ between deployments; the defaults are those of the document. */
export interface Dialect {
  readonly path: { readonly main: string; readonly zone: string }
  readonly field: { readonly main: string; readonly zone: string }
  readonly direction: { readonly main: string; readonly zone: string }
  readonly headerPrefix: string
  readonly chains: { readonly main: string; readonly zone: string }
}

export interface DialectOptions {
  readonly path?: Dialect['path']
  readonly field?: Dialect['field']
  readonly direction?: Dialect['direction']
  readonly headerPrefix?: string
  readonly chains?: Dialect['chains']
}

export function createDialect(options: DialectOptions = {}): Dialect {
  return {
    path: { main: 'chain', zone: 'zone' },
    field: { main: 'main', zone: 'zone' },
    direction: { main: 'Main', zone: 'Zone' },
    headerPrefix: 'SVC',
    chains: { main: 'MAINCHAIN', zone: 'ZONE_CHAIN' },
    ...options,
  }
}

/** The fields named, with the keys that carry a chain's word renamed, and the direction's value. */
export function toDialect(
  dialect: Dialect,
  record: Readonly<Record<string, string>>,
  fields: readonly string[],
): Record<string, string> {
  const renamed: Record<string, string> = {}
  for (const field of fields) renamed[fieldName(dialect, field)] = record[field] ?? ''
  const { main, zone } = dialect.direction
  if (record.txType === 'MainToZone') renamed.txType = `${main}To${zone}`
  if (record.txType === 'ZoneToMain') renamed.txType = `${zone}To${main}`
  return renamed
}

function fieldName(dialect: Dialect, key: string): string {
  if (key.startsWith('main')) return dialect.field.main + key.slice(4)
  return key.startsWith('zone') ? dialect.field.zone + key.slice(4) : key
}
