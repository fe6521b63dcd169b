import { canonicalToken } from '../domain/movedToken.ts'
import type { FlowKind } from './mainReads.ts'

/** An address that holds the bridge's money. */
export interface EscrowPlace {
  readonly address: string
  /** The tokens watched there; null is every token that the bridge moves. */
  readonly tokens: ReadonlySet<string> | null
}

/** What the configuration says of escrows. */
export interface EscrowSetting {
  readonly address: string
  readonly token: string
  readonly baseline: string | null
}

/** One list of movements to be read. */
export interface FlowStream {
  readonly id: string
  readonly place: EscrowPlace
  readonly kind: FlowKind
  /** Asked for alone; undefined asks for all tokens at once. */
  readonly token: string | undefined
}

/** Without escrows every contract of the bridge is one, for every token seen there. */
export function toPlaces(escrows: readonly EscrowSetting[], contracts: readonly string[]): EscrowPlace[] {
  if (escrows.length === 0)
    return contracts.map((address) => ({ address: address.toLowerCase(), tokens: null }))
  const byAddress = Map.groupBy(escrows, ({ address }) => address.toLowerCase())
  return [...byAddress].map(([address, settings]) => ({
    address,
    tokens: new Set(settings.map(({ token }) => canonicalToken(token))),
  }))
}

/**
 * The lists that show what moved at a place. Which of the two token lists a token stands in follows from its type;
 * while that is not known both are read. Several tokens are read in one question.
 */
export function toStreams(places: readonly EscrowPlace[], typeOf: (token: string) => string): FlowStream[] {
  return places.flatMap((place) => {
    const { address, tokens } = place
    const contracts = tokens === null ? null : [...tokens].filter((token) => token !== '')
    const hasNative = tokens === null || tokens.has('')
    const token = contracts?.length === 1 ? contracts[0] : undefined
    const kinds: FlowKind[] = [
      ...(['token_20', 'token_1155'] as const).filter((kind) => isNeeded(contracts, kind, typeOf)),
      ...(hasNative ? (['native'] as const) : []),
    ]
    return kinds.map((kind) => ({
      id: `flows:${address}:${kind}${token === undefined ? '' : `:${token}`}`,
      place,
      kind,
      token: kind === 'native' ? undefined : token,
    }))
  })
}

function isNeeded(
  tokens: readonly string[] | null,
  kind: 'token_20' | 'token_1155',
  typeOf: (token: string) => string,
): boolean {
  const other = kind === 'token_20' ? 'ERC1155' : 'ERC20'
  return tokens === null || tokens.some((token) => typeOf(token).toUpperCase() !== other)
}
