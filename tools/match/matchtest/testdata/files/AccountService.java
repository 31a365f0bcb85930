package com.example.bank;

import java.math.BigDecimal;
import java.time.Clock;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Keeps accounts and moves money between them. */
public final class AccountService {

    private static final BigDecimal DAILY_LIMIT = new BigDecimal("5000.00");

    private final Map<String, Account> accounts = new HashMap<>();
    private final List<Transaction> journal = new ArrayList<>();
    private final Clock clock;

    public AccountService(Clock clock) {
        this.clock = clock;
    }

    public Account open(String owner, BigDecimal initialBalance) {
        if (initialBalance.signum() < 0) {
            throw new IllegalArgumentException("initial balance is negative: " + initialBalance);
        }
        Account account = new Account(nextNumber(), owner, initialBalance);
        accounts.put(account.number(), account);
        return account;
    }

    public Optional<Account> find(String number) {
        return Optional.ofNullable(accounts.get(number));
    }

    public void deposit(String number, BigDecimal amount) {
        Account account = require(number);
        if (amount.signum() <= 0) {
            throw new IllegalArgumentException("amount must be positive: " + amount);
        }
        account.credit(amount);
        journal.add(new Transaction(clock.instant(), null, number, amount));
    }

    public void withdraw(String number, BigDecimal amount) {
        Account account = require(number);
        if (amount.signum() <= 0) {
            throw new IllegalArgumentException("amount must be positive: " + amount);
        }
        if (account.balance().compareTo(amount) < 0) {
            throw new InsufficientFundsException(number, amount);
        }
        account.debit(amount);
        journal.add(new Transaction(clock.instant(), number, null, amount));
    }

    public void transfer(String from, String to, BigDecimal amount) {
        Account source = require(from);
        Account target = require(to);
        if (amount.compareTo(DAILY_LIMIT) > 0) {
            throw new LimitExceededException(from, amount, DAILY_LIMIT);
        }
        if (source.balance().compareTo(amount) < 0) {
            throw new InsufficientFundsException(from, amount);
        }
        source.debit(amount);
        target.credit(amount);
        journal.add(new Transaction(clock.instant(), from, to, amount));
    }

    public List<Transaction> statement(String number) {
        List<Transaction> lines = new ArrayList<>();
        for (Transaction transaction : journal) {
            if (number.equals(transaction.from()) || number.equals(transaction.to())) {
                lines.add(transaction);
            }
        }
        return lines;
    }

    private Account require(String number) {
        Account account = accounts.get(number);
        if (account == null) {
            throw new UnknownAccountException(number);
        }
        return account;
    }

    private String nextNumber() {
        return String.format("AC%08d", accounts.size() + 1);
    }
}
