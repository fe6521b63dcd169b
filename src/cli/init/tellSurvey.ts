import type { Io } from '../io.ts'
import { paint } from '../screen.ts'
import type { Proposal } from './propose.ts'
import type { Survey } from './survey.ts'

/** Says what recent transfers showed, and how much it rests on. */
export function tellSurvey(io: Pick<Io, 'out' | 'screen'>, survey: Survey, proposal: Proposal): void {
  const { listed, transfers, problems } = survey
  io.out(
    `  ${transfers.length} of the ${listed} newest transfers are complete on the main chain: they are looked at\n`,
  )
  if (transfers.length === 0) io.out(`  ${nothing(listed)}\n`)
  for (const problem of problems) io.out(`  unsure  ${problem}\n`)
  const lines = listLines(proposal)
  const sure = lines.filter(({ doubts }) => doubts.length === 0)
  const doubtful = lines.filter(({ doubts }) => doubts.length > 0)
  if (sure.length > 0) {
    io.out(
      '\nfound; compare the addresses with the documentation of the bridge: names of tokens are chosen by whoever makes them\n',
    )
    for (const { what, rests } of sure) io.out(`  ${what}\n          ${dim(io, rests)}\n`)
  }
  if (doubtful.length === 0) return
  io.out('\ndoubtful: comments in the file, not settings\n')
  for (const { what, rests, doubts } of doubtful)
    io.out(`  ${what}\n          ${dim(io, `${rests}; ${doubts.join('; ')}`)}\n`)
}

function nothing(listed: number): string {
  return listed === 0
    ? 'The list of transfers is empty: right for a bridge without traffic, else check the names of the chains; a service that is asked too much can look like this too. Run init again once there are some: until then escrows, contracts and tokens are yours to fill in.'
    : 'Escrows, contracts and tokens are yours to fill in, or run init again once some are complete.'
}

function listLines({ tokens, escrows, contracts }: Proposal) {
  const symbols = new Map(
    tokens.flatMap(({ address, symbol, doubts }) =>
      doubts.length === 0 && symbol !== null ? [[address, symbol]] : [],
    ),
  )
  return [
    ...tokens.map((token) => ({
      ...token,
      what: `token     ${token.address} ${token.doubts.length === 0 ? token.symbol : token.called}, ${token.decimals ?? 'unknown'} decimals`,
    })),
    ...escrows.map((escrow) => ({
      ...escrow,
      what: `escrow    ${escrow.address} of ${escrow.token === '' ? 'the native currency' : (symbols.get(escrow.token) ?? escrow.token)}`,
    })),
    ...contracts.map((contract) => ({ ...contract, what: `contract  ${contract.address}` })),
  ]
}

function dim({ screen }: Pick<Io, 'screen'>, text: string): string {
  return screen === null ? text : paint(screen, 'dim', text)
}
