import { nearest } from '../../lib/nearest.ts'
import { type Dialect, spellField } from './dialect.ts'

/** The direction words that a value of `txType` would fit; null when it is no pair of words. */
export function suggestDirection(dialect: Dialect, text: string): string | null {
  const match = /^([A-Za-z]\w{0,31}?)To([A-Z]\w{0,31})$/.exec(text)
  const [, first = '', second = ''] = match ?? []
  if (match === null) return null
  const isTurned =
    isWordOf(dialect, 'main', second) ||
    isWordOf(dialect, 'zone', first) ||
    [dialect.direction.main, dialect.direction.zone].indexOf(second) === 0
  const [main, zone] = isTurned ? [second, first] : [first, second]
  return `set explorer.dialect.direction.main: ${main} and explorer.dialect.direction.zone: ${zone}`
}

/** A record's key that is likely the one that is missing, and the setting that would make it so. */
export interface NearKey {
  readonly key: string
  /** `explorer.dialect.field.main: acme`; null where no setting renames the key. */
  readonly setting: string | null
}

/**
 * The key of a record that stands for a documented one that it lacks; null when none is like it.
 * @param keys those that the record has and nothing else reads, in their order
 */
export function findNearKey(dialect: Dialect, field: string, keys: readonly string[]): NearKey | null {
  const match = /^(main|zone)([A-Z].*)$/.exec(field)
  if (!match) {
    const key = nearest(field, keys)
    return key === null ? null : { key, setting: null }
  }
  const [, chain, ending = ''] = match
  const words = foreignWords(dialect, keys)
  const own = words.filter((word) => keys.includes(`${word}${ending}`))
  const word = chain === 'main' || chain === 'zone' ? chooseWord(dialect, chain, own, words) : null
  if (word !== null) return { key: `${word}${ending}`, setting: `explorer.dialect.field.${chain}: ${word}` }
  const key = nearest(spellField(dialect, field), keys)
  return key === null ? null : { key, setting: null }
}

const endings = ['TxHash', 'BlockHeight', 'BlockTime']

/** What stands before the endings of a side's keys, in the keys' order. */
function foreignWords(dialect: Dialect, keys: readonly string[]): string[] {
  const words = keys.flatMap((key) => {
    const ending = endings.find((one) => key.endsWith(one) && key.length > one.length)
    return ending === undefined ? [] : [key.slice(0, -ending.length)]
  })
  return [...new Set(words)].filter((word) => word !== dialect.field.main && word !== dialect.field.zone)
}

/** Of two words the one that another place of the dialect uses for the chain; else the main chain's comes first. */
function chooseWord(
  dialect: Dialect,
  chain: 'main' | 'zone',
  own: readonly string[],
  all: readonly string[],
): string | null {
  const other = chain === 'main' ? 'zone' : 'main'
  const [only] = own
  if (only === undefined) return null
  if (own.length === 1 && all.length === 1) return only
  const known = own.find((word) => isWordOf(dialect, chain, word))
  if (known !== undefined) return known
  const rest = own.filter((word) => !isWordOf(dialect, other, word))
  return (chain === 'main' ? rest[0] : rest.at(-1)) ?? only
}

function isWordOf(dialect: Dialect, chain: 'main' | 'zone', word: string): boolean {
  const words = [dialect.path[chain], dialect.field[chain], dialect.direction[chain]]
  return words.some((one) => one.toLowerCase() === word.toLowerCase())
}
