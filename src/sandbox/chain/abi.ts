/** keccak-256 of the signatures beside them: what a log's first topic says. */
export const topics = {
  transfer: '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef', // Transfer(address,address,uint256)
  transferSingle: '0xc3d58168c5ae7397731d063d5bbf3d657854427343f4c083240f7aacaa2d0f62', // TransferSingle(address,address,address,uint256,uint256)
  transferBatch: '0x4a39dc06d4c0dbc64b70af90fd698a233a518aa5d07e595d983b8c0526c8f7fb', // TransferBatch(address,address,address,uint256[],uint256[])
  deposit: '0xb8910b9960c443aac3240b98585384e3a6f109fbf6969e264c3f183d69aba7e1', // DepositInitiated(address,address,address,uint256,uint256)
  withdrawal: '0x49d3e68d79df625933b4478d16608075e4791ee969ddec42f20524e8d8df1ffd', // WithdrawalFinalized(bytes32,address,address,uint256,uint256)
  zoneDeposit: '0x56e413b0b153df5c2df8c6a4a1715ed3142aacc5ae5369414f4020f8feb34423', // DepositFinalized(bytes32,address,address,uint256)
  zoneWithdrawal: '0x2fc3848834aac8e883a2d2a17a7514dc4f2d3dd268089df9b9f5d918259ef3b0', // WithdrawalInitiated(address,address,address,uint256)
  orderFilled: '0xf5daccd6d0627e52ed76e2a229c88b20534395c6f7702dae1cec76ba612564e7', // OrderFilled(uint256,uint256)
  stateBatch: '0x64398fae15b753a97a545b773806a98087ed7b31976eb9a7a887a1ae849a7e5c', // StateBatchAppended(uint256,bytes32)
  upgraded: '0xbc7cd75a20ee27fd9adebab32041f755214dbc6bffa90cc0225b39da2e5c2d3b', // Upgraded(address)
  paused: '0x62e78cea01bee320cd4e420270b5ea74000d11b0c9f74754ebdbfc544b05a258', // Paused(address)
  unpaused: '0x5db9ee0a495bf2e6ff9c91a7834c1ba4fdd244a5e8aa4e537bd38aeae4b073aa', // Unpaused(address)
  owner: '0x8be0079c531659141344cd1fd0a4f28419497f9722a3daafe3b4186f6b6457e0', // OwnershipTransferred(address,address)
  roleGranted: '0x2f8788117e7eff1d82e926ec794901d17c78024a50270940304540a733656f0d', // RoleGranted(bytes32,address,address)
  threshold: '0xadfa8ecb21b6962ebcd0adbd9ab985b7b4c5b5eb3b0dead683171565c7bfe171', // ThresholdUpdated(uint256)
  fee: '0x8c4d35e54a3f2ef1134138fd8ea3daee6a3c89e10d2665996babdf70261e2c76', // FeeUpdated(uint256)
  rootProposed: '0xc6bebe1909fcfb0724d1b19607592490e0d6515b5220b11d9a9b4bc4d4b98d5a', // RootProposed(uint256)
  withdrawalProven: '0x3c9fdb97df440b02d0ba13eba803c3c776aad694f751ebb93fd4147c5a4b6713', // WithdrawalProven(bytes32)
  rootRemoved: '0x405489853c45b03e4598e22168171787ed885bb2adc17e43efa1f5b9b3dae06e', // RootRemoved(uint256)
  signer: '0x2d025324f0a785e8c12d0a0d91a9caa49df4ef20ff87e0df7213a1d4f3157beb', // SignerUpdated(address,address)
} as const

/** The first four bytes of keccak-256 of the functions beside them. */
export const selectors = {
  depositErc20: '0x1828686a', // depositERC20(address,uint256,address)
  depositErc1155: '0x54aa18b6', // depositERC1155(address,uint256,uint256,address)
  finalize: '0x7909a625', // finalizeWithdrawal(bytes32,address,address,uint256)
  finalizeMany: '0x19fdd47b', // finalizeWithdrawals(bytes32[])
  transfer: '0xa9059cbb', // transfer(address,uint256)
  swap: '0x627dd56a', // swap(bytes)
  blockValues: '0x0436ca29', // setL1BlockValues(uint64,uint64)
  stateBatch: '0xa262616f', // appendStateBatch(uint256,bytes32)
  upgradeTo: '0x3659cfe6', // upgradeTo(address)
  pause: '0x8456cb59', // pause()
  unpause: '0x3f4ba83a', // unpause()
  transferOwnership: '0xf2fde38b', // transferOwnership(address)
  setThreshold: '0x960bfe04', // setThreshold(uint256)
  proposeRoot: '0x4a47e93c', // proposeRoot(uint256)
  proveWithdrawal: '0x0c37a75d', // proveWithdrawal(bytes32)
  removeRoot: '0x38af30b0', // removeRoot(uint256)
  balanceOf: '0x70a08231', // balanceOf(address)
  balanceOfId: '0x00fdd58e', // balanceOf(address,uint256)
  decimals: '0x313ce567', // decimals()
  symbol: '0x95d89b41', // symbol()
  name: '0x06fdde03', // name()
  totalSupply: '0x18160ddd', // totalSupply()
  owner: '0x8da5cb5b', // owner()
  paused: '0x5c975abb', // paused()
  implementation: '0x5c60da1b', // implementation()
} as const

/** keccak-256 of `eip1967.proxy.implementation`, minus one: where a proxy keeps its implementation. */
export const implementationSlot = '0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc'

export const zeroAddress = `0x${'0'.repeat(40)}`

/** 32 bytes of a number, an address or a hash, without `0x`. */
export function word(value: bigint | number | string): string {
  const hex = typeof value === 'string' ? value.replace(/^0x/, '') : value.toString(16)
  return hex.padStart(64, '0')
}

export function topicOf(value: bigint | number | string): string {
  return `0x${word(value)}`
}

/** Lists of numbers as the ABI lays out dynamic parameters. */
export function encodeLists(lists: readonly (readonly bigint[])[]): string {
  let head = ''
  let tail = ''
  for (const list of lists) {
    head += word((lists.length * 64 + tail.length) / 2)
    tail += word(list.length) + list.map(word).join('')
  }
  return head + tail
}

/** The ABI's form of one string, as `eth_call` returns it. */
export function encodeString(text: string): string {
  const hex = Buffer.from(text, 'utf8').toString('hex')
  return `0x${word(32)}${word(hex.length / 2)}${hex.padEnd(Math.ceil(hex.length / 64) * 64, '0')}`
}
