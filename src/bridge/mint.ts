/** The null address: what is minted comes from it, what is burned goes to it. */
const nullAddress = /^0x0{40}$/

/**
 * Whether an escrow stands for the minting of its token: no address holds what the bridge can mint. It has no balance, and
 * what anybody mints of other tokens is none of the bridge's.
 */
export function isMint({ address }: { readonly address: string }): boolean {
  return nullAddress.test(address)
}
