import { isMint } from '../../../bridge/mint.ts'
import { canonicalToken } from '../../../bridge/movedToken.ts'
import type { FlowKind } from '../../../kernel/reads/flowReads.ts'

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
  /** Shows what nobody named: read more rarely, and what is known of named tokens waits for none of it. */
  readonly isRare: boolean
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

/** The tokens that the bridge mints on the main chain. */
export function listMinted(places: readonly EscrowPlace[]): ReadonlySet<string> {
  return new Set(places.filter(isMint).flatMap(({ tokens }) => [...(tokens ?? [])]))
}

interface Watched {
  readonly places: readonly EscrowPlace[]
  readonly types: ReadonlyMap<string, string>
}

/**
 * The lists that show what moved at a place. Which of the two token lists a token stands in follows from its type;
 * while that is not known both are read. Several tokens are read in one question.
 */
export function toStreams({ places, types }: Watched): FlowStream[] {
  return places.flatMap((place) => {
    const { address, tokens } = place
    if (isMint(place)) return toMintStreams(place, types)
    const nameOf = (kind: FlowKind) => nameList(address, kind)
    const contracts = tokens === null ? null : [...tokens].filter((token) => token !== '')
    const hasNative = tokens === null || tokens.has('')
    const token = contracts?.length === 1 ? contracts[0] : undefined
    const kinds: FlowKind[] = [
      ...tokenKinds.filter((kind) => isNeeded(contracts, kind, types)),
      ...(hasNative ? (['native'] as const) : []),
    ]
    const named = kinds.map((kind) => ({
      id: `${nameOf(kind)}${token === undefined ? '' : `:${token}`}`,
      place,
      kind,
      token: kind === 'native' ? undefined : token,
      isRare: false,
    }))
    const whole = named.flatMap((stream) => (stream.token === undefined ? [stream.kind] : []))
    const others = [...tokenKinds, 'native' as const].filter((kind) => !whole.includes(kind))
    const rest = others.map((kind) => ({
      id: `${nameOf(kind)}:rest`,
      place,
      kind,
      token: undefined,
      isRare: true,
    }))
    return [...named, ...rest]
  })
}

function nameList(address: string, kind: FlowKind): string {
  return `flows:${address}:${kind}`
}

/** Each token is asked for alone: what else is minted on the chain is no concern of the bridge. */
function toMintStreams(place: EscrowPlace, types: Watched['types']): FlowStream[] {
  return [...(place.tokens ?? [])].flatMap((token) =>
    tokenKinds
      .filter((kind) => isNeeded([token], kind, types))
      .map((kind) => ({
        id: `${nameList(place.address, kind)}:${token}`,
        place,
        kind,
        token,
        isRare: false,
      })),
  )
}

/** The lists that show the movements at an address but for what nobody named. */
export function toNamedStreams(watched: Watched, address: string): FlowStream[] {
  return toStreams(watched).filter(({ place, isRare }) => place.address === address && !isRare)
}

const tokenKinds = ['token_20', 'token_721', 'token_1155'] as const

function isNeeded(
  tokens: readonly string[] | null,
  kind: (typeof tokenKinds)[number],
  types: Watched['types'],
): boolean {
  return tokens === null || tokens.some((token) => isOfKind(types.get(token) ?? '', kind))
}

/** Of a token whose type nobody gave, records may show ERC-20 and ERC-1155. */
export function isOfKind(type: string, kind: FlowKind): boolean {
  return type === '' ? kind !== 'token_721' : type.toUpperCase() === kind.replace('token_', 'ERC')
}
