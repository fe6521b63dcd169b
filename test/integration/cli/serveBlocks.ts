import { envelope, type StubReply, type StubRequest } from '../../support/apiStub.ts'

/** E7 (or E6, for an address that all transactions are of) of a chain of equal blocks, newest first; of any range only the newest `cap` rows are given. */
export function serveBlocks(chain: {
  readonly perBlock: number
  readonly cap: number
  readonly head?: number
}) {
  return ({ query }: StubRequest): StubReply => {
    const numberOf = (name: string, otherwise: number) => Number(query.get(name) ?? otherwise)
    const end = numberOf('endBlockHeight', chain.head ?? 0)
    const limit = Math.min(numberOf('limit', 20), 100)
    const page = numberOf('page', 1)
    const count = Math.min((end - numberOf('startBlockHeight', 0) + 1) * chain.perBlock, chain.cap)
    const rows = []
    for (let index = (page - 1) * limit; index < Math.min(page * limit, count); index++) {
      const height = end - Math.floor(index / chain.perBlock)
      rows.push(rowOf(height, height * 20_000 + (index % chain.perBlock) + 1))
    }
    const totalPage = String(Math.ceil(count / limit))
    return envelope([{ page: String(page), limit: String(limit), totalPage, transactionList: rows }])
  }
}

function rowOf(height: number, number: number) {
  const account = `0x${'1'.repeat(40)}`
  return {
    txId: `0x${number.toString(16).padStart(64, '0')}`,
    height: String(height),
    from: account,
    to: account,
    amount: '1',
    tokenContractAddress: '',
  }
}

/** A configuration that asks one server, as fast as it answers. */
export function createLoopbackConfig(url: string): string {
  return `explorer: { baseUrl: "${url}", chains: { main: MAINCHAIN, zone: ZONE_CHAIN } }\n`
}
