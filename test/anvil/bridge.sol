// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// An ERC-20 whose minters create and destroy: the token of the main chain, and what stands for it on the zone.
contract Token {
    string public name;
    string public symbol;
    uint8 public constant decimals = 6;
    uint256 public totalSupply;
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;
    mapping(address => bool) public isMinter;

    event Transfer(address indexed from, address indexed to, uint256 value);
    event Approval(address indexed owner, address indexed spender, uint256 value);

    constructor(string memory name_, string memory symbol_) {
        name = name_;
        symbol = symbol_;
        isMinter[msg.sender] = true;
    }

    modifier onlyMinter() {
        require(isMinter[msg.sender], "no minter");
        _;
    }

    function setMinter(address minter) external onlyMinter {
        isMinter[minter] = true;
    }

    function mint(address to, uint256 amount) external onlyMinter {
        totalSupply += amount;
        balanceOf[to] += amount;
        emit Transfer(address(0), to, amount);
    }

    function burn(address from, uint256 amount) external onlyMinter {
        balanceOf[from] -= amount;
        totalSupply -= amount;
        emit Transfer(from, address(0), amount);
    }

    function approve(address spender, uint256 amount) external returns (bool) {
        allowance[msg.sender][spender] = amount;
        emit Approval(msg.sender, spender, amount);
        return true;
    }

    function transfer(address to, uint256 amount) external returns (bool) {
        move(msg.sender, to, amount);
        return true;
    }

    function transferFrom(address from, address to, uint256 amount) external returns (bool) {
        allowance[from][msg.sender] -= amount;
        move(from, to, amount);
        return true;
    }

    function move(address from, address to, uint256 amount) private {
        balanceOf[from] -= amount;
        balanceOf[to] += amount;
        emit Transfer(from, to, amount);
    }
}

// Where ERC-1967 keeps the implementation: keccak256("eip1967.proxy.implementation") - 1.
bytes32 constant implementationSlot = 0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc;

/// Runs the implementation's code over its own storage.
contract Proxy {
    event Upgraded(address indexed implementation);

    constructor(address implementation, bytes memory call_) {
        assembly ("memory-safe") {
            sstore(implementationSlot, implementation)
        }
        emit Upgraded(implementation);
        (bool isDone, ) = implementation.delegatecall(call_);
        require(isDone, "not initialized");
    }

    fallback() external {
        assembly {
            calldatacopy(0, 0, calldatasize())
            let isDone := delegatecall(gas(), sload(implementationSlot), 0, calldatasize(), 0, 0)
            returndatacopy(0, 0, returndatasize())
            switch isDone
            case 0 {
                revert(0, returndatasize())
            }
            default {
                return(0, returndatasize())
            }
        }
    }
}

/// Holds the token while it is used on the zone. Lives behind a Proxy.
contract Escrow {
    Token public token;
    address public owner;
    address public relayer;
    mapping(bytes32 => bool) public isReleased;

    event Deposited(address indexed from, address indexed to, uint256 amount);
    event Released(bytes32 indexed withdrawal, address indexed to, uint256 amount);
    event Upgraded(address indexed implementation);

    function initialize(Token token_, address relayer_, address owner_) external {
        require(owner == address(0), "initialized before");
        token = token_;
        relayer = relayer_;
        owner = owner_;
    }

    function deposit(address to, uint256 amount) external {
        require(token.transferFrom(msg.sender, address(this), amount));
        emit Deposited(msg.sender, to, amount);
    }

    struct Payout {
        /// The zone transaction that it pays.
        bytes32 withdrawal;
        address to;
        uint256 amount;
    }

    function release(Payout[] calldata payouts) external {
        require(msg.sender == relayer, "not the relayer");
        for (uint256 i = 0; i < payouts.length; i++) {
            Payout calldata payout = payouts[i];
            require(!isReleased[payout.withdrawal], "released before");
            isReleased[payout.withdrawal] = true;
            require(token.transfer(payout.to, payout.amount));
            emit Released(payout.withdrawal, payout.to, payout.amount);
        }
    }

    /// What rescues stray money, and takes all in the wrong hands.
    function sweep(address to, uint256 amount) external {
        require(msg.sender == owner, "not the owner");
        require(token.transfer(to, amount));
    }

    function upgradeTo(address implementation) external {
        require(msg.sender == owner, "not the owner");
        assembly ("memory-safe") {
            sstore(implementationSlot, implementation)
        }
        emit Upgraded(implementation);
    }
}

/// The next version of the escrow.
contract EscrowV2 is Escrow {
    uint256 public constant version = 2;
}

/// Creates on the zone what was locked, and destroys what goes back.
contract ZoneBridge {
    Token public immutable token;
    address public immutable relayer;
    mapping(bytes32 => bool) public isCredited;

    event Credited(bytes32 indexed deposit, address indexed to, uint256 amount);
    event Withdrawn(address indexed from, address indexed to, uint256 amount);

    constructor(Token token_, address relayer_) {
        token = token_;
        relayer = relayer_;
    }

    /// @param deposit the main transaction that it credits
    function credit(bytes32 deposit, address to, uint256 amount) external {
        require(msg.sender == relayer, "not the relayer");
        require(!isCredited[deposit], "credited before");
        isCredited[deposit] = true;
        token.mint(to, amount);
        emit Credited(deposit, to, amount);
    }

    function withdraw(address to, uint256 amount) external {
        token.burn(msg.sender, amount);
        emit Withdrawn(msg.sender, to, amount);
    }
}
