<?php

declare(strict_types=1);

namespace App\Mail;

use Psr\Log\LoggerInterface;
use RuntimeException;

final class Mailer
{
    private const MAX_RECIPIENTS = 50;

    /** @var array<string, string> */
    private array $templates = [];

    public function __construct(
        private Transport $transport,
        private LoggerInterface $logger,
        private string $sender = 'noreply@example.com',
    ) {
    }

    public function register(string $name, string $template): void
    {
        if (isset($this->templates[$name])) {
            throw new RuntimeException("template $name is registered already");
        }
        $this->templates[$name] = $template;
    }

    public function send(string $name, array $recipients, array $values = []): int
    {
        if (count($recipients) > self::MAX_RECIPIENTS) {
            throw new RuntimeException('too many recipients: ' . count($recipients));
        }
        $body = $this->render($name, $values);
        $sent = 0;
        foreach ($recipients as $recipient) {
            if (!filter_var($recipient, FILTER_VALIDATE_EMAIL)) {
                $this->logger->warning('invalid address', ['address' => $recipient]);
                continue;
            }
            $this->transport->deliver($this->sender, $recipient, $body);
            $sent++;
        }
        return $sent;
    }

    public function preview(string $name, array $values = []): string
    {
        $body = $this->render($name, $values);
        return '<pre>' . htmlspecialchars($body, ENT_QUOTES) . '</pre>';
    }

    private function render(string $name, array $values): string
    {
        if (!isset($this->templates[$name])) {
            throw new RuntimeException("template $name is unknown");
        }
        $body = $this->templates[$name];
        foreach ($values as $key => $value) {
            $body = str_replace('{{' . $key . '}}', (string) $value, $body);
        }
        if (preg_match('/\{\{(\w+)\}\}/', $body, $match) === 1) {
            throw new RuntimeException("no value for {$match[1]}");
        }
        return $body;
    }
}
