using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;

namespace Shop.Orders
{
    public sealed class OrderProcessor
    {
        private const int MaximumAttempts = 5;

        private readonly IOrderRepository _repository;
        private readonly IPaymentGateway _payments;
        private readonly IClock _clock;

        public OrderProcessor(IOrderRepository repository, IPaymentGateway payments, IClock clock)
        {
            _repository = repository ?? throw new ArgumentNullException(nameof(repository));
            _payments = payments ?? throw new ArgumentNullException(nameof(payments));
            _clock = clock ?? throw new ArgumentNullException(nameof(clock));
        }

        public async Task<Receipt> ProcessAsync(Guid orderId, CancellationToken cancellation)
        {
            var order = await _repository.FindAsync(orderId, cancellation);
            if (order is null)
            {
                throw new KeyNotFoundException($"order {orderId} does not exist");
            }

            if (order.Status == OrderStatus.Paid)
            {
                return new Receipt(order.Id, order.Total, order.PaidAt.Value);
            }

            for (var attempt = 1; attempt <= MaximumAttempts; attempt++)
            {
                var outcome = await _payments.ChargeAsync(order.Customer, order.Total, cancellation);
                if (outcome.Succeeded)
                {
                    order.MarkPaid(_clock.Now);
                    await _repository.SaveAsync(order, cancellation);
                    return new Receipt(order.Id, order.Total, _clock.Now);
                }

                if (!outcome.MayRetry)
                {
                    break;
                }

                await Task.Delay(TimeSpan.FromSeconds(attempt * 2), cancellation);
            }

            throw new PaymentException(order.Id);
        }

        public async Task<bool> CancelAsync(Guid orderId, string reason, CancellationToken cancellation)
        {
            var order = await _repository.FindAsync(orderId, cancellation);
            if (order is null)
            {
                return false;
            }

            if (order.Status == OrderStatus.Shipped)
            {
                throw new InvalidOperationException("a shipped order cannot be cancelled");
            }

            order.Cancel(reason, _clock.Now);
            await _repository.SaveAsync(order, cancellation);
            return true;
        }

        public decimal Discount(IEnumerable<OrderLine> lines)
        {
            var total = lines.Sum(line => line.Price * line.Quantity);
            if (total > 1000m)
            {
                return total * 0.10m;
            }

            if (total > 500m)
            {
                return total * 0.05m;
            }

            return 0m;
        }
    }
}
