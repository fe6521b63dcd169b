import { emptyParameter, tooMany, wrongParameter } from './refusal.ts'

type Kind = 'text' | 'height' | 'hash' | 'hashes' | 'address' | 'addresses' | 'amount'

/** What an endpoint takes: the kind of each parameter, `!` after it when it is required, or the values allowed. */
export type ParameterRules = Readonly<Record<string, Kind | `${Kind}!` | readonly string[]>>

/** The parameters of one request, checked; hashes and addresses lower-case, lists split. */
export interface Parameters {
  text(name: string): string | undefined
  /** One that its rules demand. */
  required(name: string): string
  number(name: string): number | undefined
  list(name: string): readonly string[]
  /** All of them as one text: equal for equal questions. */
  readonly key: string
}

const patterns: Readonly<Record<Kind, RegExp>> = {
  text: /^[^]{1,200}$/,
  height: /^\d{1,15}$/,
  amount: /^\d{1,78}(\.\d{1,78})?$/,
  hash: /^0x[0-9a-fA-F]{64}$/,
  hashes: /^0x[0-9a-fA-F]{64}$/,
  address: /^0x[0-9a-fA-F]{40}$/,
  addresses: /^0x[0-9a-fA-F]{40}$/,
}
const maxItems = 20

export function readParameters(query: URLSearchParams, rules: ParameterRules): Parameters {
  const values = new Map<string, readonly string[]>()
  for (const [name, rule] of Object.entries(rules)) {
    const given = query.get(name) ?? ''
    if (given !== '') values.set(name, check(name, given, rule))
    else if (typeof rule === 'string' && rule.endsWith('!')) throw emptyParameter(name)
  }
  return {
    text: (name) => values.get(name)?.[0],
    required: (name) => {
      const [value] = values.get(name) ?? []
      if (value === undefined) throw emptyParameter(name)
      return value
    },
    number: (name) => (values.has(name) ? Number(values.get(name)?.[0]) : undefined),
    list: (name) => values.get(name) ?? [],
    key: JSON.stringify([...values]),
  }
}

function check(name: string, given: string, rule: ParameterRules[string]): readonly string[] {
  if (typeof rule !== 'string') {
    if (!rule.includes(given)) throw wrongParameter(name)
    return [given]
  }
  const kind = rule.replace('!', '') as Kind
  const several = kind === 'hashes' || kind === 'addresses'
  const items = several ? given.split(',').map((item) => item.trim()) : [given.trim()]
  if (items.length > maxItems) throw tooMany(name, maxItems)
  if (!items.every((item) => patterns[kind].test(item))) throw wrongParameter(name)
  return kind === 'text' ? items : items.map((item) => item.toLowerCase())
}
