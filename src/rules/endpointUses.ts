/** What is not seen, or not judged, while an endpoint or method is silent. */
interface EndpointUse {
  readonly blind: string
  /** Transfers on their way are not judged without it. */
  readonly judgesTransfers?: true
}

const uses: Readonly<Record<string, EndpointUse>> = {
  E2: { blind: 'what single payouts and deposits moved, where that is in doubt' },
  E3: { blind: 'new transfers', judgesTransfers: true },
  'E3 by hash': { blind: 'whether movements at the escrows have a record' },
  'E3 by address': { blind: 'whether value that names no origin has a record' },
  'E3 by height': { blind: 'what the ledger may lack of the list' },
  E4: { blind: 'withdrawals on the zone chain that the list may hide' },
  E5: {
    blind: 'whether the zone chain goes on, and what happened there behind its head',
    judgesTransfers: true,
  },
  E6: { blind: 'what moves at the escrows, and challenges' },
  E7: { blind: 'native currency that transactions carry' },
  E8: { blind: 'native currency that moves at the escrows' },
  E9: { blind: 'whether payouts have an origin on the zone chain', judgesTransfers: true },
  E10: { blind: 'whether operators still send' },
  E11: {
    blind: 'whether the main chain goes on, and what happened there behind its head',
    judgesTransfers: true,
  },
  E12: { blind: 'what becomes of transfers on their way', judgesTransfers: true },
  E13: { blind: 'what payouts and deposits moved on the main chain', judgesTransfers: true },
  E14: { blind: 'whether single payouts have an origin, where that is in doubt' },
  E15: { blind: 'what payouts and deposits of native currency moved' },
  E16: { blind: 'what single transactions moved of native currency, where that is in doubt' },
  E17: { blind: 'whether the code of the contracts changed' },
  E19: { blind: 'events of the bridge contracts: deposits and payouts without a record, administration' },
  E21: { blind: 'what single payouts and deposits moved, where that is in doubt' },
  eth_call: { blind: 'what the escrows hold of tokens' },
  eth_getBalance: { blind: 'what escrows and operators hold of native currency' },
  eth_getTransactionReceipt: { blind: "the second source's word on payouts and deposits" },
  eth_getBlockReceipts: { blind: 'preconfirmations and what becomes of them' },
  eth_getBlockByNumber: { blind: 'preconfirmations and what becomes of them' },
  eth_blockNumber: { blind: 'the height of the chain' },
}

const unknownUse: EndpointUse = { blind: 'what it is asked for' }

/** What an endpoint is good for. */
export function useOf(endpoint: string): EndpointUse {
  return uses[endpoint] ?? unknownUse
}
