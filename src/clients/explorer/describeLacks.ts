import { type Dialect, spellField } from './dialect.ts'
import type { EndpointId } from './endpoint.ts'
import { endpoints } from './endpoints.ts'
import type { NotedLack } from './keyBook.ts'
import { useOf } from './keys.ts'
import { findNearKey } from './suggestDialect.ts'

/** What records of an endpoint lack, in words; keys that one setting would bring back are one lack. */
export interface DescribedLack {
  readonly endpoint: EndpointId
  /** The first of its keys. */
  readonly key: string
  readonly use: 'judged' | 'shown'
  /** How many rows of the newest answer with any, `of` how many. */
  readonly rows: number
  readonly of: number
  /** What is wrong, with the nearest key that is there and the setting that fits. */
  readonly problem: string
  readonly firstAt: number
  readonly lastAt: number
  readonly isStill: boolean
  /** Whether no row has had it lately. */
  readonly isWhole: boolean
  /** Transactions whose rows they are, where others have it: what one of them hides may be a theft. */
  readonly hashes: readonly string[]
}

type Lack = Omit<NotedLack, 'endpoint'> & { readonly endpoint: EndpointId }

const maxNamed = 6
const latelyMs = 600_000

export function describeLacks(dialect: Dialect, lacks: readonly Lack[]): DescribedLack[] {
  const found = lacks.map((lack) => ({ lack, near: lack.problem === null ? findNear(dialect, lack) : null }))
  const groups = Map.groupBy(found, ({ lack, near }) => `${lack.endpoint} ${near?.setting ?? lack.key}`)
  return [...groups.values()].flatMap((group) => {
    const [first] = group
    if (!first) return []
    const { endpoint, key, rows, of } = first.lack
    const all = group.map(({ lack }) => lack)
    const judged = all.filter((lack) => lack.use === 'judged' && (lack.rows < lack.of || lack.of === 1))
    return {
      endpoint,
      key,
      use: all.some(({ use }) => use === 'judged') ? 'judged' : 'shown',
      rows,
      of,
      problem: toProblem(first, all),
      firstAt: Math.min(...all.map(({ firstAt }) => firstAt)),
      lastAt: Math.max(...all.map(({ lastAt }) => lastAt)),
      isStill: all.some(({ isStill }) => isStill),
      isWhole: all.some(isWhole),
      hashes: [...new Set(judged.flatMap(({ hashes }) => hashes))],
    }
  })
}

/** The keys whose lack is reported, as this dialect spells them; none for those that nothing rests on. */
export function watchedKeys(dialect: Dialect, id: EndpointId): string[] {
  const keys = endpoints.find((one) => one.id === id)?.keys ?? {}
  return Object.entries(keys).flatMap(([name, keyClass]) =>
    useOf(keyClass) === null ? [] : [spellField(dialect, name)],
  )
}

function isWhole({ problem, rows, of, seenAt, lastAt }: Lack): boolean {
  return problem === null && rows === of && (seenAt === null || lastAt - seenAt > latelyMs)
}

function findNear(dialect: Dialect, { endpoint, field, keys }: Lack) {
  const documented = Object.entries(endpoints.find(({ id }) => id === endpoint)?.keys ?? {})
  const known = new Set(
    documented.flatMap(([name, use]) => (use === 'none' ? [] : [spellField(dialect, name)])),
  )
  return findNearKey(
    dialect,
    field,
    keys.filter((key) => !known.has(key)),
  )
}

function toProblem(
  { lack, near }: { readonly lack: Lack; readonly near: ReturnType<typeof findNear> },
  all: readonly Lack[],
): string {
  const said = sayLack(
    lack,
    all.slice(0, maxNamed).map((one) => one.key),
  )
  if (near === null) return said
  return `${said}; the rows have \`${near.key}\`${near.setting === null ? '' : `: set ${near.setting}`}`
}

/** What so many rows lack: `2 of 20 rows lack `logs``, or what is wrong with it there. */
export function sayLack(
  { key, of, problem, rows }: Pick<Lack, 'key' | 'of' | 'problem' | 'rows'>,
  keys: readonly string[] = [key],
): string {
  const which = rows === of ? (of === 1 ? 'the one row' : `all ${of} rows`) : `${rows} of ${of} rows`
  if (problem !== null) return `\`${key}\` of ${which}: ${problem}`
  return `${which} ${rows === 1 ? 'lacks' : 'lack'} ${keys.map((one) => `\`${one}\``).join(', ')}`
}
