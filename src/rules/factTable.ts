/** How a fact is typed in `where`. */
export type FactType = 'string' | 'int' | 'bool' | 'string|null' | 'int|null' | 'bool|null'

/**
 * The facts that findings of a kind have; one whose type ends in `?` some of them lack. A list is all the words that a
 * text can be, so that a rule which asks for another one is refused; with `''` among them some findings lack it.
 */
export type FactTable = Readonly<Record<string, FactType | `${FactType}?` | readonly [string, ...string[]]>>

interface FactValues {
  readonly string: string
  readonly int: number
  readonly bool: boolean
  readonly 'string|null': string | null
  readonly 'int|null': number | null
  readonly 'bool|null': boolean | null
}

type ValueOf<D> = D extends readonly (infer Word)[]
  ? Word
  : D extends `${infer T extends FactType}?`
    ? FactValues[T]
    : D extends FactType
      ? FactValues[D]
      : never

type OptionalOf<T extends FactTable> = {
  [N in keyof T]: T[N] extends FactType
    ? never
    : T[N] extends readonly (infer Word)[]
      ? '' extends Word
        ? N
        : never
      : N
}[keyof T]

/** What a finding with these facts has to give, and no more. */
export type FactsOf<T extends FactTable> = {
  readonly [N in Exclude<keyof T, OptionalOf<T>>]: ValueOf<T[N]>
} & { readonly [N in OptionalOf<T>]?: ValueOf<T[N]> }

const plainTypes: Readonly<Record<FactType | `${FactType}?`, FactType>> = {
  string: 'string',
  'string?': 'string',
  int: 'int',
  'int?': 'int',
  bool: 'bool',
  'bool?': 'bool',
  'string|null': 'string|null',
  'string|null?': 'string|null',
  'int|null': 'int|null',
  'int|null?': 'int|null',
  'bool|null': 'bool|null',
  'bool|null?': 'bool|null',
}

export function plainFacts(facts: FactTable): Readonly<Record<string, FactType>> {
  return Object.fromEntries(
    Object.entries(facts).map(([name, type]) => [
      name,
      typeof type === 'string' ? plainTypes[type] : 'string',
    ]),
  )
}

/** The words of those facts that can be nothing else. */
export function wordsOfFacts(facts: FactTable): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries(
    Object.entries(facts).flatMap(([name, type]) => (typeof type === 'string' ? [] : [[name, type]])),
  )
}
