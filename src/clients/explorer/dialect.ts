import type { Direction } from '../../bridge/observation.ts'

/** How one deployment spells the two chains, in the four places where their names appear. */
export interface Dialect {
  /** Path segments: `/api/v5/<main>/<zone>/…`. */
  readonly path: { readonly main: string; readonly zone: string }
  /** Prefixes of record fields: `<main>TxHash`, `<zone>EventIndex`. */
  readonly field: { readonly main: string; readonly zone: string }
  /** The words of direction values: `<Main>To<Zone>`. */
  readonly direction: { readonly main: string; readonly zone: string }
  /** `<PREFIX>-ACCESS-KEY`. */
  readonly headerPrefix: string
}

export const neutralDialect: Dialect = {
  path: { main: 'chain', zone: 'zone' },
  field: { main: 'main', zone: 'zone' },
  direction: { main: 'Main', zone: 'Zone' },
  headerPrefix: 'SVC',
}

/** The direction that a record's `txType` names in this dialect; null when it names neither. */
export function parseDirection(dialect: Dialect, text: string): Direction | null {
  const { main, zone } = dialect.direction
  if (text === `${main}To${zone}`) return 'MainToZone'
  return text === `${zone}To${main}` ? 'ZoneToMain' : null
}

/**
 * A neutral field name as the dialect spells it.
 * @example spellField({ ...neutralDialect, field: { main: 'acme', zone: 'az' } }, 'mainTxHash') // 'acmeTxHash'
 */
export function spellField(dialect: Dialect, name: string): string {
  const match = /^(main|zone)([A-Z].*)$/.exec(name)
  if (!match) return name
  return `${match[1] === 'main' ? dialect.field.main : dialect.field.zone}${match[2]}`
}
